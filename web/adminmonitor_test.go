package web

import "time"

func init() { patience = time.Minute } // pages of tests show the numbers of their moment
