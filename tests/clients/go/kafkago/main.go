// Program kafkago is segmentio/kafka-go's Reader in a group:
//
//	kafkago work BOOTSTRAP NAME SESSION_MS
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"

	"rollcall/clients/lines"
)

func main() {
	work(os.Args[2], os.Args[3], os.Args[4])
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A Reader tells nobody which partitions it reads, except in its log.
var (
	subscribed = regexp.MustCompile(`^subscribed to topics and partitions: `)
	partition  = regexp.MustCompile(`partition:(\d+)`)
)

// worker is a Reader as most programs have it. It says what it is given, how often it has fetched,
// and every line of its error log; a line on standard input makes it commit that offset for all it holds and say what is
// committed; SIGTERM closes it cleanly.
type worker struct {
	name   string
	client *kafka.Client
	reader *kafka.Reader
	owned  []int32
}

func work(bootstrap, name, sessionMs string) {
	session, err := strconv.Atoi(sessionMs)
	must(err)
	lines.Say(lines.Facts{"event": "starts"})
	one := &worker{name: name, client: &kafka.Client{Addr: kafka.TCP(bootstrap)}}
	one.reader = kafka.NewReader(kafka.ReaderConfig{
		Brokers:           []string{bootstrap},
		GroupID:           name,
		Topic:             name,
		HeartbeatInterval: lines.Heartbeat(),
		SessionTimeout:    time.Duration(session) * time.Millisecond,
		MaxWait:           500 * time.Millisecond,
		Logger:            kafka.LoggerFunc(one.log),
		ErrorLogger:       kafka.LoggerFunc(fault),
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go lines.Listen(one.commit)
	go one.count(ctx)
	if _, err := one.reader.FetchMessage(ctx); ctx.Err() == nil {
		panic(err)
	}
	began := time.Now()
	must(one.reader.Close())
	lines.Say(lines.Facts{"event": "closed", "close_s": time.Since(began).Seconds()})
}

// fault is what an operator of the program would see.
func fault(format string, args ...any) {
	lines.Say(lines.Facts{"event": "error", "text": fmt.Sprintf(format, args...)})
}

func (w *worker) log(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !subscribed.MatchString(text) {
		return
	}
	held := []int32{}
	for _, found := range partition.FindAllStringSubmatch(text, -1) {
		number, err := strconv.ParseInt(found[1], 10, 32)
		must(err)
		held = append(held, int32(number))
	}
	w.owned = held
	lines.SayPartitions("assigned", held)
}

// count says each second how many fetches have been answered.
func (w *worker) count(ctx context.Context) {
	for total := int64(0); ctx.Err() == nil; time.Sleep(time.Second) {
		total += w.reader.Stats().Fetches
		lines.Say(lines.Facts{"event": "fetches", "count": total})
	}
}

func (w *worker) commit(words []string) {
	offset, err := strconv.ParseInt(words[0], 10, 64)
	must(err)
	began, messages := time.Now(), []kafka.Message{}
	for _, number := range w.owned {
		// What is committed is the offset after that of the message.
		messages = append(messages, kafka.Message{Topic: w.name, Partition: int(number), Offset: offset - 1})
	}
	must(w.reader.CommitMessages(context.Background(), messages...))
	written := time.Now()
	partitions := []int{}
	for _, number := range w.owned {
		partitions = append(partitions, int(number))
	}
	stored, err := w.client.OffsetFetch(context.Background(), &kafka.OffsetFetchRequest{
		GroupID: w.name,
		Topics:  map[string][]int{w.name: partitions},
	})
	must(err)
	offsets := map[int32]int64{}
	for _, found := range stored.Topics[w.name] {
		offsets[int32(found.Partition)] = found.CommittedOffset
	}
	lines.SayCommitted(offsets, began, written)
}
