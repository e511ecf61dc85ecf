// Program franz is franz-go as a consumer, an administrator or a producer of offsets:
//
//	franz work BOOTSTRAP NAME SESSION_MS [DOOR] range|cooperative|consumer
//	franz admin BOOTSTRAP
//	franz produce BOOTSTRAP TRANSACTIONAL_ID
package main

import "os"

func main() {
	switch os.Args[1] {
	case "work":
		words := os.Args[2:]
		work(words[0], words[1], words[2], words[3:len(words)-1], words[len(words)-1])
	case "admin":
		administer(os.Args[2])
	case "produce":
		produce(os.Args[2], os.Args[3])
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
