// Program sarama is IBM/sarama as a consumer, an administrator or a producer of offsets:
//
//	sarama work BOOTSTRAP NAME SESSION_MS
//	sarama admin BOOTSTRAP
//	sarama produce BOOTSTRAP TRANSACTIONAL_ID
package main

import (
	"os"

	"github.com/IBM/sarama"
)

func main() {
	switch os.Args[1] {
	case "work":
		work(os.Args[2], os.Args[3], os.Args[4])
	case "admin":
		administer(os.Args[2])
	case "produce":
		produce(os.Args[2], os.Args[3])
	}
}

// settings are the library's own. Those of a worker are at its default version, 2.8, which
// nearly every user has; those of the administrator at the newest that it knows.
func settings(version sarama.KafkaVersion) *sarama.Config {
	config := sarama.NewConfig()
	config.Version = version
	return config
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
