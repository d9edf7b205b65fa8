package datum

import (
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/pipescan/pipescan/pgfile"
)

// FuzzScalars gives every scalar type arbitrary bytes: text and value agree
// whether they are sound, errors are CorruptErrors, and what was in the buffer
// stays.
func FuzzScalars(f *testing.F) {
	oids := slices.Sorted(maps.Keys(scalarTypes))
	n := 0
	eachGolden(f, "scalars", func(major int, s sample) {
		if n++; n%20 != 0 {
			return
		}
		payload, err := hex.DecodeString(s.hex)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(slices.Index(oids, s.oid)), uint8(major), payload)
	})
	f.Fuzz(func(t *testing.T, typ, major uint8, payload []byte) {
		if len(payload) > 1<<16 {
			return // the time of one run, not the parsers, is bounded here
		}
		oid := oids[int(typ)%len(oids)]
		e := &Env{Major: 13 + int(major)%6}
		text, err := scalarTypes[oid].text([]byte("before"), payload, e)
		if err != nil && !errors.Is(err, pgfile.ErrCorrupt) {
			t.Fatalf("type %d: %v", oid, err)
		}
		if len(text) < 6 || string(text[:6]) != "before" {
			t.Fatalf("type %d: the buffer was overwritten: %q", oid, text[:min(6, len(text))])
		}
		value, valueErr := scalarTypes[oid].value(payload, e)
		if (err == nil) != (valueErr == nil) || (valueErr == nil) != (value != nil) {
			t.Fatalf("type %d: text says %v, value %v with %v", oid, err, value, valueErr)
		}
	})
}
