package main

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"rollcall/clients/lines"
)

// admin answers the verbs of a test with kadm, franz-go's administrator.
type admin struct {
	client *kadm.Client
	ctx    context.Context
}

func administer(bootstrap string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap))
	must(err)
	defer client.Close()
	a := admin{kadm.NewClient(client), context.Background()}
	lines.Serve(map[string]lines.Verb{
		"create":         a.create,
		"groups":         a.groups,
		"describe":       a.describe,
		"commit":         a.commit,
		"offsets":        a.offsets,
		"delete-offsets": a.deleteOffsets,
		"remove":         a.remove,
		"delete-group":   a.deleteGroup,
		"delete-topic":   a.deleteTopic,
	}, code)
}

// code is Kafka's number of an error, if Kafka's protocol has one for it.
func code(err error) (int16, bool) {
	if refused, ok := errors.AsType[*kerr.Error](err); ok {
		return refused.Code, true
	}
	return 0, false
}

func partition(word string) int32 {
	number, err := strconv.ParseInt(word, 10, 32)
	must(err)
	return int32(number)
}

func (a admin) create(words []string) (lines.Facts, error) {
	_, err := a.client.CreateTopic(a.ctx, partition(words[1]), 1, nil, words[0])
	return lines.Done, err
}

func (a admin) groups([]string) (lines.Facts, error) {
	found, err := a.client.ListGroups(a.ctx)
	names := append([]string{}, found.Groups()...)
	return lines.Facts{"groups": names}, err
}

func (a admin) describe(words []string) (lines.Facts, error) {
	described, err := a.client.DescribeGroups(a.ctx, words[0])
	if err != nil {
		return nil, err
	}
	group := described[words[0]]
	if group.Err != nil {
		return nil, group.Err
	}
	members := []lines.Facts{}
	for _, member := range group.Members {
		held := []int32{}
		if assigned, ok := member.Assigned.AsConsumer(); ok {
			for _, topic := range assigned.Topics {
				held = append(held, topic.Partitions...)
			}
		}
		slices.Sort(held)
		instance := ""
		if member.InstanceID != nil {
			instance = *member.InstanceID
		}
		members = append(members, lines.Facts{"instance": instance, "partitions": held})
	}
	return lines.Facts{"state": group.State, "members": members}, nil
}

func (a admin) commit(words []string) (lines.Facts, error) {
	offset, err := strconv.ParseInt(words[3], 10, 64)
	must(err)
	offsets := kadm.Offsets{}
	offsets.AddOffset(words[1], partition(words[2]), offset, -1)
	return lines.Done, a.client.CommitAllOffsets(a.ctx, words[0], offsets)
}

func (a admin) offsets(words []string) (lines.Facts, error) {
	stored, err := a.client.FetchOffsets(a.ctx, words[0])
	offsets := map[int32]int64{}
	stored.Each(func(found kadm.OffsetResponse) { offsets[found.Partition] = found.At })
	return lines.Facts{"offsets": offsets}, err
}

func (a admin) deleteOffsets(words []string) (lines.Facts, error) {
	topics := kadm.TopicsSet{}
	topics.Add(words[1], partition(words[2]))
	deleted, err := a.client.DeleteOffsets(a.ctx, words[0], topics)
	return lines.Done, errors.Join(err, deleted.Error())
}

func (a admin) remove(words []string) (lines.Facts, error) {
	left, err := a.client.LeaveGroup(a.ctx, kadm.LeaveGroup(words[0]).InstanceIDs(words[1]))
	return lines.Done, errors.Join(err, left.Error())
}

func (a admin) deleteGroup(words []string) (lines.Facts, error) {
	_, err := a.client.DeleteGroup(a.ctx, words[0])
	return lines.Done, err
}

func (a admin) deleteTopic(words []string) (lines.Facts, error) {
	_, err := a.client.DeleteTopic(a.ctx, words[0])
	return lines.Done, err
}
