// Package accounts shows who may do what: sign-in, the reader's account, people,
// accounts and the log.
package accounts

import (
	"net/url"
	"strconv"
	"time"

	"overton/internal/store"
	"overton/templates"
)

// LinkDays is how many days a link that sets a password waits to be used.
const LinkDays = 7

// Typed is what somebody typed to add an account or a member, and what was
// wrong with it.
type Typed struct{ Email, Role, Problem string }

// Link is a link that sets a password, just made. It is shown this once.
type Link struct{ For, Address string }

// role is what somebody can be, and what that lets them do.
type role struct{ name, may string }

// siteRoles count on the whole server.
var siteRoles = []role{
	{"member", "sees only the studies that give them a role"},
	{"viewer", "sees the progress and results of all studies"},
	{"moderator", "can also accept and reject statements"},
	{"researcher", "can also run analyses and download data"},
	{"admin", "can also launch and close studies, and create accounts"},
}

// studyRoles count on one study.
var studyRoles = []role{
	{"viewer", "sees the progress and results of the study"},
	{"moderator", "can also accept and reject statements"},
	{"researcher", "can also run analyses and download data"},
	{"admin", "can also launch and close the study, and choose who can see it"},
}

// moment is a time of the store, in Unix milliseconds; 0 is none.
func moment(ms int64) templates.Moment {
	if ms == 0 {
		return templates.Moment{}
	}
	return templates.At(time.UnixMilli(ms))
}

func days(n int) string { return templates.Plural(n, "day", "days") }

func id(n int64) string { return strconv.FormatInt(n, 10) }

// deeds are the words for the store's events, all of them.
var deeds = map[string]string{
	"accepted responses downloaded": "downloaded accepted responses of models",
	"account created":               "made an account",
	"account disabled":              "shut an account out",
	"account enabled":               "let an account in again",
	"account link":                  "made a link for an account",
	"account role":                  "changed the role of an account",
	"analysis cancelled":            "cancelled a run",
	"analysis deleted":              "deleted a run",
	"analysis renamed":              "renamed a run",
	"analysis started":              "started an analysis",
	"data downloaded":               "downloaded",
	"draft changed":                 "changed a draft",
	"draft discarded":               "discarded a draft",
	"draft saved":                   "saved a draft",
	"judge compared":                "started comparing a judge with people",
	"member":                        "gave a role on the study",
	"member link":                   "made a new invitation",
	"member removed":                "took away a role on the study",
	"model response accepted":       "accepted responses of a model",
	"model response rejected":       "rejected responses of a model",
	"moderation mode":               "changed when statements are moderated",
	"moderation undone":             "undid a decision on a statement",
	"password set":                  "set a password",
	"recruiter's file read":         "read a file from the recruiter",
	"reward":                        "set the reward",
	"sign-in failed":                "failed to sign in",
	"sign-ins ended":                "signed out everywhere else",
	"signed in":                     "signed in",
	"signed out":                    "signed out",
	"statement accepted":            "accepted a statement",
	"statement rejected":            "rejected a statement",
	"study closed":                  "closed the study",
	"study imported":                "imported the study",
	"study paused":                  "paused the study",
	"study running":                 "launched or resumed the study",
	"survey analysis started":       "started an analysis of surveys",
	"token created":                 "made an access token",
	"token revoked":                 "revoked an access token",
	"version begun":                 "began a new version",
}

// Deed is what the log calls an event; one without words is shown as the store
// calls it.
func Deed(what string) string {
	if words, ok := deeds[what]; ok {
		return words
	}
	return what
}

// logQuery is the query of the log with a filter, and only of events before an
// id unless that is 0.
func logQuery(f store.EventFilter, before int64) string {
	query := url.Values{}
	for name, value := range map[string]string{"who": f.Email, "what": f.What} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if before != 0 {
		query.Set("before", id(before))
	}
	return "?" + query.Encode()
}

// logColumns head the log of a study, or of all studies.
func logColumns(everywhere bool) []templates.Column {
	columns := []templates.Column{
		templates.Words("When"), templates.Words("Who"), templates.Words("Did"), templates.Words("Of what"),
	}
	if everywhere {
		columns = append(columns, templates.Words("Study"))
	}
	return columns
}

// choices are options of a filter, after one for all.
func choices(all string, values []string, words func(string) string) []templates.Option {
	options := []templates.Option{{Label: all}}
	for _, v := range values {
		options = append(options, templates.Option{Value: v, Label: words(v)})
	}
	return options
}

func tokenLives(days []int) []templates.Option {
	var options []templates.Option
	for _, n := range days {
		options = append(options, templates.Option{Value: strconv.Itoa(n), Label: strconv.Itoa(n) + " days"})
	}
	return options
}
