// Package analyse holds the pages of results: runs and their windows, surveys,
// judges and the runs of language models.
package analyse
