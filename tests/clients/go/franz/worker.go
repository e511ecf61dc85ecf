package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rollcall/clients/lines"
)

// balancers are who assigns, by the last word of the command line.
var balancers = map[string][]kgo.GroupOpt{
	"range":       {kgo.Balancers(kgo.RangeBalancer())},
	"cooperative": {kgo.Balancers(kgo.CooperativeStickyBalancer())},
	"consumer":    {kgo.Balancers(kgo.StickyBalancer()), kgo.ServerSideBalancer()},
}

// worker says what it is given and what is taken from it. A line on standard input makes it
// commit that offset for all it holds and say what is committed; SIGTERM closes it cleanly.
type worker struct {
	name   string
	client *kgo.Client
	mutex  sync.Mutex
	held   map[int32]struct{}
}

func work(bootstrap, name, sessionMs string, door []string, balancer string) {
	session, err := strconv.Atoi(sessionMs)
	must(err)
	lines.Say(lines.Facts{"event": "starts"})
	one := &worker{name: name, held: map[int32]struct{}{}}
	options := []kgo.Opt{
		kgo.SeedBrokers(strings.Split(bootstrap, ",")...),
		kgo.ConsumerGroup(name),
		kgo.ConsumeTopics(name),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(time.Duration(session) * time.Millisecond),
		kgo.HeartbeatInterval(lines.Heartbeat()),
		kgo.OnPartitionsAssigned(one.assigned),
		kgo.OnPartitionsRevoked(one.revoked),
		kgo.OnPartitionsLost(one.revoked),
	}
	for _, option := range balancers[balancer] {
		options = append(options, option)
	}
	if len(door) == 1 {
		options = append(options, secured(door[0])...)
	}
	one.client, err = kgo.NewClient(options...)
	must(err)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go lines.Listen(one.commit)
	for ctx.Err() == nil {
		one.client.PollFetches(ctx).EachError(func(_ string, _ int32, err error) {
			if errors.Is(err, kerr.SaslAuthenticationFailed) {
				must(err)
			}
			if ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	began := time.Now()
	one.client.Close()
	lines.Say(lines.Facts{"event": "closed", "close_s": time.Since(began).Seconds()})
}

// commitSync returns what went wrong with the request or with a partition.
func commitSync(client *kgo.Client, wanted map[string]map[int32]kgo.EpochOffset) (failed error) {
	ended := func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		failed = err
		if err != nil {
			return
		}
		for _, topic := range answer.Topics {
			for _, partition := range topic.Partitions {
				failed = errors.Join(failed, kerr.ErrorForCode(partition.ErrorCode))
			}
		}
	}
	client.CommitOffsetsSync(context.Background(), wanted, ended)
	return failed
}

func (w *worker) assigned(_ context.Context, _ *kgo.Client, given map[string][]int32) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, partition := range given[w.name] {
		w.held[partition] = struct{}{}
	}
	lines.SayPartitions("assigned", slices.Collect(maps.Keys(w.held)))
}

func (w *worker) revoked(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, partition := range taken[w.name] {
		delete(w.held, partition)
	}
	lines.SayPartitions("revoked", taken[w.name])
}

func (w *worker) commit(words []string) {
	offset, err := strconv.ParseInt(words[0], 10, 64)
	must(err)
	w.mutex.Lock()
	held := slices.Collect(maps.Keys(w.held))
	w.mutex.Unlock()
	wanted := map[string]map[int32]kgo.EpochOffset{w.name: {}}
	for _, partition := range held {
		wanted[w.name][partition] = kgo.EpochOffset{Epoch: -1, Offset: offset}
	}
	began := time.Now()
	err = commitSync(w.client, wanted)
	written := time.Now()
	if err != nil {
		lines.Say(lines.Facts{"event": "refused", "error": err.Error()})
		return
	}
	stored, err := kadm.NewClient(w.client).FetchOffsets(context.Background(), w.name)
	if err != nil { // of a node that has just died; the commit may be asked for again
		lines.Say(lines.Facts{"event": "refused", "error": err.Error()})
		return
	}
	offsets := map[int32]int64{}
	for _, partition := range held {
		if found, ok := stored.Lookup(w.name, partition); ok {
			offsets[partition] = found.At
		}
	}
	lines.SayCommitted(offsets, began, written)
}
