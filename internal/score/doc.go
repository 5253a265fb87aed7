// Package score computes what the studies are for: the OvertonScore and its
// statistics, the metrics of the opinion instruments, and how well a judge
// agrees with people.
//
// Everything here is a pure function of values. Randomness comes in as a seed, and a result is the same for
// any order of the input rows and any number of cores. The package reads no files and does not cluster:
// viewpoint groups come with the ratings, and the resampling that regroups participants calls a function it
// is given (see Regroup).
//
// What is undefined is a Number that is NaN in Go and null in JSON.
package score
