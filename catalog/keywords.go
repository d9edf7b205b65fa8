package catalog

import "strings"

// The key words that quote_identifier puts in quotes: all but the unreserved
// ones. A server lists its own in pg_get_keywords(); 14 and 15 have those of
// 13, and 18 those of 17.
var keywords13 = wordSet(`
	all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
	both case cast char character check coalesce collate collation column concurrently constraint create
	cross current_catalog current_date current_role current_schema current_time current_timestamp
	current_user dec decimal default deferrable desc distinct do else end except exists extract false
	fetch float for foreign freeze from full grant greatest group grouping having ilike in initially
	inner inout int integer intersect interval into is isnull join lateral leading least left like limit
	localtime localtimestamp national natural nchar none normalize not notnull null nullif numeric
	offset on only or order out outer overlaps overlay placing position precision primary real
	references returning right row select session_user setof similar smallint some substring symmetric
	table tablesample then time timestamp to trailing treat trim true union unique user using values
	varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists
	xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

// keywords16 are those new in 16.
var keywords16 = wordSet(`
	json_array json_arrayagg json_object json_objectagg system_user`)

// keywords17 are those new in 17.
var keywords17 = wordSet(`
	json json_exists json_query json_scalar json_serialize json_table json_value merge_action`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isKeyword says whether a server of the major version must quote word, given
// in lower case, though its characters alone would not ask for it.
func isKeyword(major int, word string) bool {
	return keywords13[word] || major >= 16 && keywords16[word] || major >= 17 && keywords17[word]
}
