package sqlfront

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// plain is a decoded value as encoding/json gives it.
func plain(v any) any {
	switch v := v.(type) {
	case tree:
		m := map[string]any{}
		for _, f := range v {
			m[f.name] = plain(f.value)
		}
		return m
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, plain(x))
		}
		return list
	case int:
		return float64(v)
	}
	return v
}

func TestDecodeTree(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"a": 1, "b": [-2, "x", true, false, null, []], "c": {"d": {}}}`, ` { "a" : [ 1 , 2 ] } `,
		`{"\u00e9\n\"\\": "\ud83d\ude00 \/ x"}`, `{"a": "ü"}`,
	} {
		got, err := decodeTree(text)
		require.NoError(t, err, text)
		var want any
		require.NoError(t, json.Unmarshal([]byte(text), &want), text)
		require.Equal(t, want, plain(got), text)
	}
	for _, text := range []string{``, `[]`, `1`, `{`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":[1 2]}`, `{"a":"x}`, `{"a":"\`, `{"a":"\q"}`, `{"a":tru}`, `{} x`, `{a:1}`, `{"a":-}`} {
		_, err := decodeTree(text)
		require.Error(t, err, text)
	}
}

// FuzzDecodeTree: what is read is what encoding/json reads.
func FuzzDecodeTree(f *testing.F) {
	f.Add(`{"a": [1, "x", {"b": null}]}`)
	f.Add(`{"version":170007,"stmts":[{"stmt":{"SelectStmt":{"op":"SETOP_NONE"}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeTree(text)
		var want any
		if err != nil || !utf8.ValidString(text) || json.Unmarshal([]byte(text), &want) != nil {
			return // ours takes leading zeros and control characters in strings
		}
		if _, ok := want.(map[string]any); ok {
			require.Equal(t, want, plain(got))
		}
	})
}
