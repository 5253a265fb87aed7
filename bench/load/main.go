// Command load measures how the programs bear a study of full size: the pages
// and exports of a server, and asking language models.
//
//	go run ./bench/load scale --db FILE
//	go run ./bench/load pages --server SERVER --db FILE
//	go run ./bench/load asking
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "load", Short: "Measure pages, exports and requests at full size", SilenceUsage: true}
	root.AddCommand(newScale(), newPages(), newAsking())
	if root.Execute() != nil {
		os.Exit(1)
	}
}
