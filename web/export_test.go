package web

var Routes = routes
