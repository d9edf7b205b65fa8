package cluster

import "github.com/pipescan/pipescan/catalog"

// nearestMax is how many names an error offers.
const nearestMax = catalog.NearestMax

// nearest picks the names most similar to one that was not found.
func nearest(name string, names []string) []string { return catalog.Nearest(name, names) }
