// The outer limit of the codec bench: Go's net/netip doing the same work on the same texts, in CPU time.
//
// Speaks the protocol of test/bench/codec/sampler.ts: the operation as argument, the texts on standard input up to an
// empty line, then one sample (nanoseconds of CPU time per operation) for every further line.
package main

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"syscall"
)

const sampleNanoseconds = 40_000_000

func cpuNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// Results end here, so that the compiler cannot leave the work out.
var sink int

func parseAll(texts []string) {
	for _, text := range texts {
		address, err := netip.ParseAddr(text)
		if err != nil {
			panic(err)
		}
		sink += address.BitLen()
	}
}

func formatAll(addresses []netip.Addr) {
	for _, address := range addresses {
		sink += len(address.String())
	}
}

func sample(pass func(), size int) float64 {
	start := cpuNanoseconds()
	for passes := 1; ; passes++ {
		pass()
		if spent := cpuNanoseconds() - start; spent >= sampleNanoseconds {
			return float64(spent) / float64(passes*size)
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	var texts []string
	for lines.Scan() && lines.Text() != "" {
		texts = append(texts, lines.Text())
	}
	addresses := make([]netip.Addr, len(texts))
	for i, text := range texts {
		addresses[i] = netip.MustParseAddr(text)
	}
	pass := func() { parseAll(texts) }
	if os.Args[1] == "format" {
		pass = func() { formatAll(addresses) }
	}
	for lines.Scan() {
		fmt.Println(sample(pass, len(texts)))
	}
}
