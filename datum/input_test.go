package datum

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/catalog"
)

// checkInput parses the text that a server printed of a stored value, which
// must give the bytes that the server had stored.
func checkInput(t *testing.T, e *Env, s sample) {
	t.Helper()
	got, err := ParseText(s.oid, -1, []byte(s.text), e)
	if !assert.NoError(t, err, "version %d type %d %q", e.Major, s.oid, s.text) {
		return
	}
	assert.Equal(t, s.hex, hex.EncodeToString(got), "version %d type %d %q", e.Major, s.oid, s.text)
}

// notInvertible are stored values whose text is read as another value.
func notInvertible(major int, s sample) bool {
	switch s.oid {
	case catalog.IntervalOID: // the widest intervals before 17
		return major < firstMajorWithInfiniteIntervals
	case catalog.CharOID:
		return major == 15
	}
	return false
}

func TestInputOfGoldenScalars(t *testing.T) {
	checked := map[catalog.OID]int{}
	eachGolden(t, "scalars", func(major int, s sample) {
		if scalarInputs[s.oid] == nil || notInvertible(major, s) {
			return
		}
		checkInput(t, &Env{Major: major, Encoding: catalog.UTF8}, s)
		checked[s.oid]++
	})
	require.Greater(t, len(checked), 30)
}

func TestInputOfGoldenContainers(t *testing.T) {
	l := loadLookup(t, "containers_catalog.json")
	e := &Env{Lookup: l, Major: 15, Encoding: catalog.UTF8}
	arrays, jsonb := 0, 0
	eachContainer(t, func(s sample) {
		if s.oid == catalog.JSONBOID {
			jsonb++
			checkInput(t, e, s)
			return
		}
		typ := l.Types[s.oid]
		if typ == nil || !typ.IsTrueArray() || typ.Kind != 'b' {
			return
		}
		if _, err := ParserOf(s.oid, -1, e); err != nil {
			return
		}
		arrays++
		checkInput(t, e, s)
	})
	require.Greater(t, arrays, 20)
	require.Greater(t, jsonb, 10)
}
