package main

import (
	"strconv"

	"github.com/IBM/sarama"

	"rollcall/clients/lines"
)

// producer answers the verbs of a test with sarama's transactional producer, which initialises
// its transactions when it is made.
type producer struct {
	bootstrap       string
	transactionalID string
	client          sarama.SyncProducer
}

func produce(bootstrap, transactionalID string) {
	p := &producer{bootstrap: bootstrap, transactionalID: transactionalID}
	lines.Serve(map[string]lines.Verb{
		"init":   p.init,
		"begin":  p.begin,
		"offset": p.offset,
		"commit": p.commit,
		"abort":  p.abort,
	}, code)
	must(p.client.Close())
}

func (p *producer) init([]string) (lines.Facts, error) {
	config := settings(sarama.MaxVersion)
	config.Producer.Idempotent = true
	config.Producer.RequiredAcks = sarama.WaitForAll
	config.Producer.Return.Successes = true
	config.Producer.Transaction.ID = p.transactionalID
	config.Net.MaxOpenRequests = 1
	client, err := sarama.NewSyncProducer([]string{p.bootstrap}, config)
	p.client = client
	return lines.Done, err
}

func (p *producer) begin([]string) (lines.Facts, error) {
	return lines.Done, p.client.BeginTxn()
}

func (p *producer) offset(words []string) (lines.Facts, error) {
	offset, err := strconv.ParseInt(words[3], 10, 64)
	must(err)
	at := &sarama.PartitionOffsetMetadata{Partition: partition(words[2]), Offset: offset, LeaderEpoch: -1}
	offsets := map[string][]*sarama.PartitionOffsetMetadata{words[1]: {at}}
	return lines.Done, p.client.AddOffsetsToTxn(offsets, words[0])
}

func (p *producer) commit([]string) (lines.Facts, error) {
	return lines.Done, p.client.CommitTxn()
}

func (p *producer) abort([]string) (lines.Facts, error) {
	return lines.Done, p.client.AbortTxn()
}
