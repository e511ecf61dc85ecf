package rollcall;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * Kafka's command-line tools, one after the other in one process: a start of Java for each would
 * cost more than all they do.
 *
 * <p>A line on standard input is a JSON list: the main class and its arguments. The answer is what
 * the tool printed and the code it ended with.
 */
final class Tools {
    /** Thrown instead of ending the process. */
    @SuppressWarnings("serial")
    private static final class Ended extends RuntimeException {}

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private Map<String, ?> answer = null;

    private Tools() {}

    public static void main(String[] args) {
        Lines.listen(line -> Lines.say(new Tools().run(line)));
    }

    /** Keeps the first end: some tools catch what is thrown here, and end once more. */
    private void end(int code) {
        if (answer == null) {
            answer = Map.of("code", code, "printed", printed.toString(StandardCharsets.UTF_8));
        }
    }

    private Map<String, ?> run(String line) {
        var stream = new PrintStream(printed, true, StandardCharsets.UTF_8);
        PrintStream out = System.out;
        PrintStream err = System.err;
        System.setOut(stream);
        System.setErr(stream);
        try {
            becomeTheEnd();
            invoke(Lines.JSON.readValue(line, String[].class));
        } catch (JsonProcessingException | ReflectiveOperationException broken) {
            throw new IllegalArgumentException(line, broken);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return answer;
    }

    /** Is told when a tool ends, instead of the process. */
    private void becomeTheEnd() throws ReflectiveOperationException {
        Class<?> exit = exit();
        Class<?> procedure = Class.forName(exit.getName() + "$Procedure");
        Object end = Proxy.newProxyInstance(
                exit.getClassLoader(), new Class<?>[] {procedure}, (self, method, said) -> {
                    end((Integer) said[0]);
                    throw new Ended();
                });
        exit.getMethod("setExitProcedure", procedure).invoke(null, end);
    }

    /** Kafka's way out: 4.4 has moved it. */
    private static Class<?> exit() throws ClassNotFoundException {
        try {
            return Class.forName("org.apache.kafka.common.utils.internals.Exit");
        } catch (ClassNotFoundException earlier) {
            return Class.forName("org.apache.kafka.common.utils.Exit");
        }
    }

    private void invoke(String[] words) throws ReflectiveOperationException {
        var main = Class.forName(words[0]).getMethod("main", String[].class);
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(words, 1, words.length));
            end(0);
        } catch (InvocationTargetException thrown) {
            if (!(thrown.getCause() instanceof Ended)) {
                thrown.getCause().printStackTrace();
                end(1);
            }
        }
    }
}
