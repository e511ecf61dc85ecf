package main

import (
	"context"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/IBM/sarama"

	"rollcall/clients/lines"
)

// worker says what it is given and what is taken from it. A line on standard input makes it
// commit that offset for all it holds and say what is committed; SIGTERM closes it cleanly.
type worker struct {
	name    string
	admin   sarama.ClusterAdmin
	mutex   sync.Mutex
	session sarama.ConsumerGroupSession
}

func work(bootstrap, name, sessionMs string) {
	session, err := strconv.Atoi(sessionMs)
	must(err)
	config := settings(sarama.DefaultVersion)
	config.Consumer.Group.Session.Timeout = time.Duration(session) * time.Millisecond
	config.Consumer.Group.Heartbeat.Interval = lines.Heartbeat()
	config.Consumer.Offsets.AutoCommit.Enable = false
	lines.Say(lines.Facts{"event": "starts"})
	client, err := sarama.NewClient([]string{bootstrap}, config)
	must(err)
	group, err := sarama.NewConsumerGroupFromClient(name, client)
	must(err)
	admin, err := sarama.NewClusterAdminFromClient(client)
	must(err)
	one := &worker{name: name, admin: admin}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go lines.Listen(one.commit)
	for ctx.Err() == nil {
		// An error is the end of a generation, as when nobody serves for a while: join again.
		if err := group.Consume(ctx, []string{name}, one); err != nil {
			println(err.Error())
		}
	}
	began := time.Now()
	must(group.Close())
	lines.Say(lines.Facts{"event": "closed", "close_s": time.Since(began).Seconds()})
}

// Setup begins a generation.
func (w *worker) Setup(session sarama.ConsumerGroupSession) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.session = session
	lines.SayPartitions("assigned", slices.Clone(session.Claims()[w.name]))
	return nil
}

// Cleanup ends a generation.
func (w *worker) Cleanup(session sarama.ConsumerGroupSession) error {
	lines.SayPartitions("revoked", slices.Clone(session.Claims()[w.name]))
	return nil
}

// ConsumeClaim holds one partition until the generation ends: there are no messages.
func (w *worker) ConsumeClaim(
	session sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim,
) error {
	<-session.Context().Done()
	return nil
}

func (w *worker) commit(words []string) {
	offset, err := strconv.ParseInt(words[0], 10, 64)
	must(err)
	w.mutex.Lock()
	session := w.session
	w.mutex.Unlock()
	held := session.Claims()[w.name]
	began := time.Now()
	for _, partition := range held {
		session.MarkOffset(w.name, partition, offset, "")
	}
	session.Commit()
	written := time.Now()
	stored, err := w.admin.ListConsumerGroupOffsets(w.name, map[string][]int32{w.name: held})
	must(err)
	offsets := map[int32]int64{}
	for _, partition := range held {
		offsets[partition] = stored.GetBlock(w.name, partition).Offset
	}
	lines.SayCommitted(offsets, began, written)
}
