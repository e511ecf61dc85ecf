package main

import (
	"context"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"rollcall/clients/lines"
)

// producer answers the verbs of a test with franz-go's own requests: the library commits offsets in
// a transaction only beside records that it consumed, and here are none.
type producer struct {
	client          *kgo.Client
	ctx             context.Context
	transactionalID string
	id              int64
	epoch           int16
}

func produce(bootstrap, transactionalID string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.TransactionalID(transactionalID))
	must(err)
	defer client.Close()
	p := &producer{client: client, ctx: context.Background(), transactionalID: transactionalID}
	lines.Serve(map[string]lines.Verb{
		"init":   p.init,
		"begin":  p.begin,
		"offset": p.offset,
		"commit": func([]string) (lines.Facts, error) { return p.end(true) },
		"abort":  func([]string) (lines.Facts, error) { return p.end(false) },
	}, code)
}

func (p *producer) init([]string) (lines.Facts, error) {
	id, epoch, err := p.client.ProducerID(p.ctx)
	p.id, p.epoch = id, epoch
	return lines.Done, err
}

func (p *producer) begin([]string) (lines.Facts, error) {
	return lines.Done, p.client.BeginTransaction()
}

func (p *producer) offset(words []string) (lines.Facts, error) {
	if err := p.add(words[0]); err != nil {
		return nil, err
	}
	offset, err := strconv.ParseInt(words[3], 10, 64)
	must(err)
	part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	part.Partition, part.Offset = partition(words[2]), offset
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = words[1]
	if topic.TopicID, err = p.topicID(words[1]); err != nil {
		return nil, err
	}
	topic.Partitions = append(topic.Partitions, part)
	request := kmsg.NewPtrTxnOffsetCommitRequest()
	request.TransactionalID, request.Group = p.transactionalID, words[0]
	request.ProducerID, request.ProducerEpoch = p.id, p.epoch
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(p.ctx, p.client)
	if err != nil {
		return nil, err
	}
	return lines.Done, kerr.ErrorForCode(answer.Topics[0].Partitions[0].ErrorCode)
}

// From v6 on the request names topics by id alone (KIP-1319).
func (p *producer) topicID(name string) ([16]byte, error) {
	request := kmsg.NewPtrMetadataRequest()
	topic := kmsg.NewMetadataRequestTopic()
	topic.Topic = kmsg.StringPtr(name)
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(p.ctx, p.client)
	if err != nil {
		return [16]byte{}, err
	}
	return answer.Topics[0].TopicID, nil
}

func (p *producer) add(group string) error {
	request := kmsg.NewPtrAddOffsetsToTxnRequest()
	request.TransactionalID, request.Group = p.transactionalID, group
	request.ProducerID, request.ProducerEpoch = p.id, p.epoch
	answer, err := request.RequestWith(p.ctx, p.client)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(answer.ErrorCode)
}

// end also takes the epoch that the answer raised, as transactions of version 2 do.
func (p *producer) end(commit bool) (lines.Facts, error) {
	request := kmsg.NewPtrEndTxnRequest()
	request.TransactionalID, request.Commit = p.transactionalID, commit
	request.ProducerID, request.ProducerEpoch = p.id, p.epoch
	answer, err := request.RequestWith(p.ctx, p.client)
	if err != nil {
		return nil, err
	}
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return nil, err
	}
	if answer.ProducerID >= 0 {
		p.id, p.epoch = answer.ProducerID, answer.ProducerEpoch
	}
	// The library's own transaction holds nothing, so that ending it asks for nothing.
	return lines.Done, p.client.EndTransaction(p.ctx, kgo.TryAbort)
}
