package pipescan

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/stages"
)

// namedFile is a relation of one file.
type namedFile string

func (f namedFile) Name() string            { return string(f) }
func (f namedFile) BlockName(uint32) string { return string(f) }

// TestLedgerIsBounded: a table that loses all its rows does not fill the memory
// with the list of them.
func TestLedgerIsBounded(t *testing.T) {
	l := &ledger{skip: true}
	note := l.lossFunc()
	for i := range 3 * maxLosses {
		require.NoError(t, note(Loss{Kind: stages.LostTuple, Block: uint32(i)}))
	}
	require.EqualValues(t, 3*maxLosses, l.total())
	list := l.losses()
	require.Len(t, list, maxLosses+1)
	require.EqualValues(t, maxLosses-1, list[maxLosses-1].Block)
	require.Equal(t, stages.LostMore, list[maxLosses].Kind)
	require.EqualError(t, list[maxLosses].Err, "20000 losses beyond the 10000 listed")
}

// TestPlaceOfBadValue: a value whose own bytes are bad is where its row is; one
// that a damaged catalog keeps from being printed names the catalog's file too.
func TestPlaceOfBadValue(t *testing.T) {
	b := &batch.Batch{TIDs: []pgfile.TID{{Block: 7, Offset: 3}}}
	l := &ledger{}
	err := l.value(namedFile("base/5/100"), b, 0, "v", pgfile.Corruptf(0, "no such digit"))
	require.EqualError(t, err, `base/5/100: block 7: line pointer 3: column "v": offset 0: no such digit (scan with --on-corruption skip to read the rest)`)

	elsewhere := &pgfile.CorruptError{File: "base/5/1255", Block: 9, Item: 1, Offset: -1, Reason: "vector of 4 bytes", Remedy: "restore it"}
	err = l.value(namedFile("base/5/100"), b, 0, "v", elsewhere)
	require.EqualError(t, err, `base/5/100: block 7: line pointer 3: column "v": base/5/1255: block 9: line pointer 1: vector of 4 bytes (restore it)`)
	require.ErrorIs(t, err, ErrCorrupt)

	l.skip = true
	require.NoError(t, l.value(namedFile("base/5/100"), b, 0, "v", elsewhere))
	require.Equal(t, uint32(7), l.losses()[0].Block)
	require.ErrorContains(t, l.losses()[0].Err, "base/5/1255: block 9")
	other := errors.New("no memory")
	require.ErrorIs(t, l.value(namedFile("f"), b, 0, "v", other), other)
}
