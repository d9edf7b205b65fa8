package tests

import (
	"os"
	"syscall"
)

// maxRSS returns the peak resident memory of an ended process in KB.
func maxRSS(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss
	}
	return 0
}
