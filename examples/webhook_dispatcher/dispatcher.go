// A webhook dispatcher with franz-go: a partition is a customer's endpoint, an offset the number of
// the next delivery. Deliveries of one customer come in order, from one process.
//
//	go run . BOOTSTRAP QUEUE URL
//
// The delivery N of customer P is the file QUEUE/P/N.json, posted to URL/P.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const topic, idle = "endpoints", 200 * time.Millisecond

type dispatcher struct {
	client     *kgo.Client
	queue, url string
	mutex      sync.Mutex
	ends       map[int32]func() // of each endpoint that is this process's
}

func main() {
	group := os.Getenv("WEBHOOK_GROUP")
	if group == "" {
		group = "webhooks"
	}
	d := &dispatcher{queue: os.Args[2], url: os.Args[3], ends: map[int32]func(){}}
	client, err := kgo.NewClient(
		kgo.SeedBrokers(os.Args[1]),
		kgo.ConsumerGroup(group),
		kgo.ConsumeTopics(topic),
		kgo.DisableAutoCommit(),
		kgo.OnPartitionsAssigned(d.begin),
		kgo.OnPartitionsRevoked(d.end),
		kgo.OnPartitionsLost(d.end),
	)
	if err != nil {
		panic(err)
	}
	d.client = client
	for { // no records: it keeps the membership
		client.PollFetches(context.Background())
	}
}

func (d *dispatcher) begin(_ context.Context, client *kgo.Client, given map[string][]int32) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, endpoint := range given[topic] {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		d.ends[endpoint] = func() { cancel(); <-ended }
		go func() {
			defer close(ended)
			d.deliver(ctx, client, endpoint)
		}()
	}
}

// end returns when nothing of these endpoints runs: only then may another process begin.
func (d *dispatcher) end(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, endpoint := range taken[topic] {
		if end := d.ends[endpoint]; end != nil {
			end()
			delete(d.ends, endpoint)
		}
	}
}

func (d *dispatcher) deliver(ctx context.Context, client *kgo.Client, endpoint int32) {
	number := int64(0)
	if at, ok := client.CommittedOffsets()[topic][endpoint]; ok && at.Offset > 0 {
		number = at.Offset
	}
	for ctx.Err() == nil {
		name := fmt.Sprintf("%d.json", number)
		body, err := os.ReadFile(filepath.Join(d.queue, fmt.Sprint(endpoint), name))
		if err != nil || !d.post(endpoint, body) {
			select { // tried again: at least once
			case <-ctx.Done():
			case <-time.After(idle):
			}
			continue
		}
		number++
		behind := map[string]map[int32]kgo.EpochOffset{topic: {endpoint: {Epoch: -1, Offset: number}}}
		client.CommitOffsetsSync(context.Background(), behind, nil)
	}
}

func (d *dispatcher) post(endpoint int32, body []byte) bool {
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Post(fmt.Sprintf("%s/%d", d.url, endpoint), "application/json", bytes.NewReader(body))
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode/100 == 2
}
