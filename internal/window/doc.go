// Package window carries one analysis from collected data to a result: it
// reads a study's records, finds the viewpoint groups of each question,
// scores the models, and records the result with all that is needed to run it
// again.
//
// How groups are found is cluster's, how models are scored is score's; where
// data is kept is store's. What lives here is which of the data counts.
package window
