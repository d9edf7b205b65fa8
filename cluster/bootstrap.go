package cluster

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/pipescan/pipescan/catalog"
)

// OIDs of the system catalogs, the same in every supported version.
const (
	oidClass       catalog.OID = 1259
	oidAttribute   catalog.OID = 1249
	oidProc        catalog.OID = 1255
	oidType        catalog.OID = 1247
	oidDatabase    catalog.OID = 1262
	oidAuthID      catalog.OID = 1260
	oidTablespace  catalog.OID = 1213
	oidNamespace   catalog.OID = 2615
	oidIndex       catalog.OID = 2610
	oidInherits    catalog.OID = 2611
	oidEnum        catalog.OID = 3501
	oidRange       catalog.OID = 3541
	oidOperator    catalog.OID = 2617
	oidCollation   catalog.OID = 3456
	oidTSConfig    catalog.OID = 3602
	oidTSDict      catalog.OID = 3600
	oidAM          catalog.OID = 2601
	oidPartitioned catalog.OID = 3350
	oidOpClass     catalog.OID = 2616
)

// Objects of initdb, the same in every version.
const (
	pgCatalogNamespace catalog.OID = 11
	bootstrapRole      catalog.OID = 10
	heapAM             catalog.OID = 2
	heapHandler        catalog.OID = 3  // heap_tableam_handler
	internalLanguage   catalog.OID = 12 // in pg_language
	globalTablespace   catalog.OID = 1664
)

// bootstrapJSON holds the columns of the catalogs that are read before
// pg_attribute is known: major version, catalog, "name:type name:type ..." in
// physical order.
//
//go:embed bootstrap.json
var bootstrapJSON []byte

var bootstrapCatalogs = sync.OnceValues(func() (map[string]map[string]string, error) {
	var m map[string]map[string]string
	err := json.Unmarshal(bootstrapJSON, &m)
	return m, err
})

// builtinType is how values of a type are stored.
type builtinType struct {
	len   int16
	align byte
}

// builtinTypes are the types that bootstrapped catalogs use.
var builtinTypes = map[string]builtinType{
	"bool": {1, 'c'}, "char": {1, 'c'}, "name": {64, 'c'}, "int2": {2, 's'}, "int4": {4, 'i'}, "oid": {4, 'i'}, "xid": {4, 'i'},
	"float4": {4, 'i'}, "timestamptz": {8, 'd'}, "text": {-1, 'i'}, "pg_node_tree": {-1, 'i'}, "anyarray": {-1, 'd'},
	"_text": {-1, 'i'}, "_aclitem": {-1, 'i'},
}

// bootstrapColumns are the columns of a built-in catalog.
func bootstrapColumns(major int, name string) ([]catalog.Column, error) {
	all, err := bootstrapCatalogs()
	if err != nil {
		return nil, err
	}
	text, ok := all[strconv.Itoa(major)][name]
	if !ok {
		return nil, fmt.Errorf("no built-in columns of %s in version %d", name, major)
	}
	var cols []catalog.Column
	for i, f := range strings.Fields(text) {
		column, typ, _ := strings.Cut(f, ":")
		b, ok := builtinTypes[typ]
		if !ok {
			return nil, fmt.Errorf("built-in column %s.%s: type %s", name, column, typ)
		}
		if typ == "_aclitem" && major >= 16 {
			b.align = 'd' // 64-bit privileges
		}
		cols = append(cols, catalog.Column{Num: int16(i + 1), Name: column, Len: b.len, Align: b.align})
	}
	return cols, nil
}
