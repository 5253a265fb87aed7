package study

// RejectReason is why moderation hides a statement from other people.
type RejectReason string

const (
	RejectPersonal  RejectReason = "personal"  // identifies a person
	RejectEmpty     RejectReason = "empty"     // says nothing
	RejectOffTopic  RejectReason = "off_topic" // does not answer the question
	RejectOffensive RejectReason = "offensive"
	RejectCopied    RejectReason = "copied" // not the person's own words
)

// RejectReasons lists all reasons in the order in which they are offered: their keys are 1 to 5.
var RejectReasons = []RejectReason{RejectPersonal, RejectEmpty, RejectOffTopic, RejectOffensive, RejectCopied}
