package main

import (
	"os"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/sys/unix"
)

// progress shows what was done so far on stderr, when that is a terminal.
type progress struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	rows int64
}

// isTerminal says whether w is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// newProgress starts a line that counts rows and bytes of one table; nothing is
// shown while stdout is a terminal too, since rows go there.
func (a *app) newProgress(name string) *progress {
	p := &progress{}
	if !isTerminal(a.stderr) || isTerminal(a.stdout) {
		return p
	}
	p.bars = mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(40))
	p.bar = p.bars.New(0, mpb.SpinnerStyle(),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(
			decor.CurrentKibiByte("% .1f "), decor.AverageSpeed(decor.SizeB1024(0), "% .1f "),
			decor.Any(func(decor.Statistics) string { return "" })))
	return p
}

// newTables starts a bar that counts tables.
func (a *app) newTables(total int) *progress {
	p := &progress{}
	if !isTerminal(a.stderr) {
		return p
	}
	p.bars = mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(60))
	p.bar = p.bars.AddBar(int64(total),
		mpb.PrependDecorators(decor.Name("tables "), decor.CountersNoUnit("%d/%d")),
		mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	return p
}

// update shows the totals of a scan.
func (p *progress) update(rows, bytes int64) {
	p.rows = rows
	if p.bar != nil {
		p.bar.SetCurrent(bytes)
	}
}

// step counts one more table.
func (p *progress) step() {
	if p.bar != nil {
		p.bar.Increment()
	}
}

// done ends the line.
func (p *progress) done() {
	if p.bars == nil {
		return
	}
	p.bar.SetTotal(-1, true)
	p.bars.Wait()
}
