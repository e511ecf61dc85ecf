package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/IBM/sarama"

	"rollcall/clients/lines"
)

// admin answers the verbs of a test with sarama's administrator.
type admin struct {
	client sarama.ClusterAdmin
}

func administer(bootstrap string) {
	client, err := sarama.NewClusterAdmin([]string{bootstrap}, settings(sarama.MaxVersion))
	must(err)
	a := admin{client}
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
	must(client.Close())
}

// code is Kafka's number of an error, if Kafka's protocol has one for it.
func code(err error) (int16, bool) {
	if refused, ok := errors.AsType[*sarama.TopicError](err); ok {
		return int16(refused.Err), true
	}
	if refused, ok := errors.AsType[sarama.KError](err); ok {
		return int16(refused), true
	}
	return 0, false
}

// refusal is the error of an answer, or nil: sarama has a value of its own for "no error".
func refusal(answer sarama.KError) error {
	if answer == sarama.ErrNoError {
		return nil
	}
	return answer
}

func partition(word string) int32 {
	number, err := strconv.ParseInt(word, 10, 32)
	must(err)
	return int32(number)
}

func (a admin) create(words []string) (lines.Facts, error) {
	detail := &sarama.TopicDetail{NumPartitions: partition(words[1]), ReplicationFactor: 1}
	return lines.Done, a.client.CreateTopic(words[0], detail, false)
}

func (a admin) groups([]string) (lines.Facts, error) {
	found, err := a.client.ListConsumerGroups()
	names := slices.AppendSeq([]string{}, maps.Keys(found))
	return lines.Facts{"groups": names}, err
}

func (a admin) describe(words []string) (lines.Facts, error) {
	described, err := a.client.DescribeConsumerGroups(words)
	if err != nil {
		return nil, err
	}
	group := described[0]
	if err := refusal(group.Err); err != nil {
		return nil, err
	}
	members := []lines.Facts{}
	for _, member := range group.Members {
		assigned, err := member.GetMemberAssignment()
		if err != nil {
			return nil, err
		}
		held := []int32{}
		if assigned != nil {
			held = append(held, assigned.Topics[words[0]]...)
		}
		slices.Sort(held)
		instance := ""
		if member.GroupInstanceId != nil {
			instance = *member.GroupInstanceId
		}
		members = append(members, lines.Facts{"instance": instance, "partitions": held})
	}
	return lines.Facts{"state": group.State, "members": members}, nil
}

func (a admin) commit(words []string) (lines.Facts, error) {
	offset, err := strconv.ParseInt(words[3], 10, 64)
	must(err)
	at := sarama.OffsetAndMetadata{Offset: offset, LeaderEpoch: -1}
	wanted := map[string]map[int32]sarama.OffsetAndMetadata{words[1]: {partition(words[2]): at}}
	answer, err := a.client.AlterConsumerGroupOffsets(words[0], wanted, nil)
	if err != nil {
		return nil, err
	}
	return lines.Done, refusal(answer.Errors[words[1]][partition(words[2])])
}

func (a admin) offsets(words []string) (lines.Facts, error) {
	stored, err := a.client.ListConsumerGroupOffsets(words[0], nil)
	if err != nil {
		return nil, err
	}
	offsets := map[int32]int64{}
	for _, topic := range stored.Blocks {
		for partition, block := range topic {
			offsets[partition] = block.Offset
		}
	}
	return lines.Facts{"offsets": offsets}, nil
}

func (a admin) deleteOffsets(words []string) (lines.Facts, error) {
	err := a.client.DeleteConsumerGroupOffset(words[0], words[1], partition(words[2]))
	return lines.Done, err
}

func (a admin) remove(words []string) (lines.Facts, error) {
	answer, err := a.client.RemoveMemberFromConsumerGroup(words[0], words[1:])
	if err != nil {
		return nil, err
	}
	return lines.Done, refusal(answer.Members[0].Err)
}

func (a admin) deleteGroup(words []string) (lines.Facts, error) {
	return lines.Done, a.client.DeleteConsumerGroup(words[0])
}

func (a admin) deleteTopic(words []string) (lines.Facts, error) {
	return lines.Done, a.client.DeleteTopic(words[0])
}
