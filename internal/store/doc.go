// Package store keeps studies, participants and their answers in one SQLite
// file. It is the only package that speaks SQL.
//
// There are two pools on the file. Reads share a few read-only connections.
// Writes go through one connection behind a group commit: a single goroutine
// takes what is waiting, gives each caller a savepoint, commits once with a
// full sync, and only then answers everybody. So an operation that returned
// without an error is on disk, and decisions that read and then write (the
// last place of a question, the last missing answer) never race.
//
// What happens next in a study is decided by package study. The store loads a
// submission's progress, asks, and carries out, inside one transaction.
package store
