package rollcall;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;

/** How the programs talk to the tests: lines of text in, JSON objects, one a line, out. */
final class Lines {
    static final ObjectMapper JSON = new ObjectMapper();

    /** The process's own output: {@code System.out} may be captured, this stays. */
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private Lines() {}

    static void say(Map<String, ?> facts) {
        try {
            OUT.println(JSON.writeValueAsString(facts));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Gives every line of standard input to {@code reader}, until its end. */
    static void listen(Consumer<String> reader) {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                reader.accept(line.strip());
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
