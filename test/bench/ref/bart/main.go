// The outer limit of the prefix index: the Go module bart doing the same look-ups, in CPU time.
//
// Speaks the protocol of test/bench/free-space/serve.ts: prefixes on standard input up to an empty line, then addresses up to an empty
// line; answers one line of JSON (checksum of the first look-ups, bytes), then nanoseconds of CPU time per look-up for every further line.
package main

import (
	"bufio"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"syscall"

	"github.com/gaissmai/bart"
)

const (
	sampleNanoseconds = 40_000_000
	warmUpSamples     = 3
	checkedLookups    = 64
)

func cpuNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func heapBytes() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func readLines(input *bufio.Scanner) []string {
	var lines []string
	for input.Scan() && input.Text() != "" {
		lines = append(lines, input.Text())
	}
	return lines
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	var prefixes []netip.Prefix
	for _, line := range readLines(input) {
		prefixes = append(prefixes, netip.MustParsePrefix(line))
	}
	var queries []netip.Addr
	for _, line := range readLines(input) {
		queries = append(queries, netip.MustParseAddr(line))
	}

	before := heapBytes()
	table := new(bart.Table[int32])
	for value, prefix := range prefixes {
		table.Insert(prefix, int32(value))
	}
	bytes := heapBytes() - before

	at := 0
	next := func() int32 {
		value, ok := table.Lookup(queries[at%len(queries)])
		at++
		if !ok {
			return 0
		}
		return value + 1
	}
	var checksum, sink int32
	for range checkedLookups {
		checksum = checksum*31 + next()
	}
	sample := func() float64 {
		start := cpuNanoseconds()
		for done := 2000; ; done += 2000 {
			for range 2000 {
				sink += next()
			}
			if spent := cpuNanoseconds() - start; spent >= sampleNanoseconds {
				return float64(spent) / float64(done)
			}
		}
	}
	for range warmUpSamples {
		sample()
	}
	fmt.Printf("{\"checksum\":%d,\"bytes\":%d}\n", checksum, bytes)
	for input.Scan() {
		fmt.Println(sample())
	}
	runtime.KeepAlive(table)
	runtime.KeepAlive(sink)
}
