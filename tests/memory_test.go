package tests

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// watchMemory watches a process until the function it returns is called, which gives the peak of its resident memory in KB.
//
// What the kernel reports of an ended child will not do: a child begins with the mark of the process that forked it.
func watchMemory(pid int) func() int64 {
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if m := highWater.FindSubmatch(status); m != nil {
				kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
				most = max(most, kb)
			}
			select {
			case <-tick.C:
			case <-stop:
				tick.Stop()
				peak <- most
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-peak
	}
}
