package catalog

import "strconv"

// UTF8 is the number of the encoding UTF8 (pg_enc).
const UTF8 int32 = 6

// encodingNames are the names of pg_enc's numbers, 0 to 41 (pg_wchar.h).
var encodingNames = [...]string{
	"SQL_ASCII", "EUC_JP", "EUC_CN", "EUC_KR", "EUC_TW", "EUC_JIS_2004", "UTF8", "MULE_INTERNAL",
	"LATIN1", "LATIN2", "LATIN3", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10",
	"WIN1256", "WIN1258", "WIN866", "WIN874", "KOI8R", "WIN1251", "WIN1252",
	"ISO_8859_5", "ISO_8859_6", "ISO_8859_7", "ISO_8859_8", "WIN1250", "WIN1253", "WIN1254", "WIN1255", "WIN1257",
	"KOI8U", "SJIS", "BIG5", "GBK", "UHC", "GB18030", "JOHAB", "SHIFT_JIS_2004",
}

// EncodingName is the name of an encoding's number, the number itself when it
// is none that PostgreSQL has.
func EncodingName(encoding int32) string {
	if encoding < 0 || int(encoding) >= len(encodingNames) {
		return strconv.Itoa(int(encoding))
	}
	return encodingNames[encoding]
}
