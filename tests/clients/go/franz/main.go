// Program franz is franz-go as a consumer or as an administrator:
//
//	franz work BOOTSTRAP NAME SESSION_MS range|cooperative|consumer
//	franz admin BOOTSTRAP
package main

import "os"

func main() {
	switch os.Args[1] {
	case "work":
		work(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	case "admin":
		administer(os.Args[2])
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
