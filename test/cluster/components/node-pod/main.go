// The one program of the Pods on the node of the tests. Without an argument it holds the namespaces of a Pod (the sandbox); with
// `echo` it says over HTTP which Pod answers, which address was asked, and who asked.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "echo" {
		echo()
		return
	}
	hold()
}

// Ends at once when it is asked to, and takes in processes whose parents have ended.
func hold() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for each := range signals {
		if each != syscall.SIGCHLD {
			return
		}
		for {
			if pid, _ := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 {
				break
			}
		}
	}
}

func echo() {
	pod, _ := os.Hostname()
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		fmt.Fprintf(answer, "%s asked=%s from=%s\n", pod, request.Host, request.RemoteAddr)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":8080", nil))
	os.Exit(1)
}
