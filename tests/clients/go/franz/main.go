// Program franz is franz-go as a consumer, an administrator or a producer of offsets:
//
//	franz work BOOTSTRAP NAME SESSION_MS range|cooperative|consumer
//	franz admin BOOTSTRAP
//	franz produce BOOTSTRAP TRANSACTIONAL_ID
package main

import "os"

func main() {
	switch os.Args[1] {
	case "work":
		work(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
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
