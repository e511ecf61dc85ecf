// Package lines is how the programs talk to the tests: lines of text in, JSON objects, one a
// line, out.
package lines

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	mutex   sync.Mutex
	encoder = json.NewEncoder(os.Stdout)
)

// Heartbeat is the interval of workers.
func Heartbeat() time.Duration {
	milliseconds, err := strconv.Atoi(os.Getenv("HEARTBEAT_MS"))
	if err != nil {
		milliseconds = 500
	}
	return time.Duration(milliseconds) * time.Millisecond
}

// Facts are what one line says.
type Facts map[string]any

// Done is the answer of a verb that has nothing to tell.
var Done = Facts{"done": true}

// Say writes one line.
func Say(facts Facts) {
	mutex.Lock()
	defer mutex.Unlock()
	if err := encoder.Encode(facts); err != nil {
		panic(err)
	}
}

// SayPartitions says what a worker was given or lost.
func SayPartitions(event string, partitions []int32) {
	slices.Sort(partitions)
	Say(Facts{"event": event, "partitions": append([]int32{}, partitions...)})
}

// SayCommitted says what a worker reads as committed, after a commit that began and was written at
// these times.
func SayCommitted(offsets map[int32]int64, began, written time.Time) {
	Say(Facts{
		"event":    "committed",
		"offsets":  offsets,
		"commit_s": written.Sub(began).Seconds(),
		"read_s":   time.Since(written).Seconds(),
	})
}

// Listen gives the words of each line of standard input to reader, until its end.
func Listen(reader func(words []string)) {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		reader(strings.Fields(scanner.Text()))
	}
}

// Verb does what one line of an administrator asks.
type Verb func(words []string) (Facts, error)

// Serve answers each line by its verb; code finds Kafka's number in an error, and the program
// ends where there is none.
func Serve(verbs map[string]Verb, code func(error) (int16, bool)) {
	Listen(func(words []string) {
		facts, err := verbs[words[0]](words[1:])
		if err == nil {
			Say(facts)
			return
		}
		number, found := code(err)
		if !found {
			panic(err)
		}
		Say(Facts{"error": number})
	})
}
