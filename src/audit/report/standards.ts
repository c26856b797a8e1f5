// Owns which parts of a report concern which rule, what they show and what they leave to be answered by others. Claims no conformity.

export interface StandardRow {
  readonly rule: string;
  readonly asks: string;
  /** Ids of sections. */
  readonly sections: readonly SectionId[];
  readonly shows: string;
  readonly leaves: string;
}

export type SectionId =
  | "logged"
  | "coverage"
  | "retention"
  | "attestations"
  | "actions"
  | "refusals"
  | "administration"
  | "keys"
  | "erasures"
  | "models"
  | "backups";

/** What each rule asks for is said in short, in words of our own: the text of the rule decides. */
export const standardRows: readonly StandardRow[] = [
  {
    rule: "Regulation (EU) 2024/1689 (AI Act), Article 12",
    asks: "A high-risk AI system records events automatically over its lifetime, so that risks, changes and its operation can be traced.",
    sections: ["logged", "coverage", "actions"],
    shows:
      "Calls of the memory are recorded, refused ones included, and no setting switches that off. Their positions have no gap, and later changes are detected.",
    leaves:
      "Which events of the whole AI system are relevant. What happens outside of memledger is recorded only if a client appends it.",
  },
  {
    rule: "AI Act, Article 13",
    asks: "Deployers are told how to collect, store and interpret the logs, where that is relevant.",
    sections: ["logged", "coverage"],
    shows: "What is logged, where it is defined, and the command that verifies it.",
    leaves: "The instructions for use of the AI system.",
  },
  {
    rule: "AI Act, Article 14",
    asks: "People can oversee a high-risk AI system.",
    sections: ["administration", "actions"],
    shows:
      "Who administered the memory, with reasons; how often memories were changed, suggested, accepted and refused.",
    leaves: "Who oversees the AI system, with which competence, and whether they can stop it.",
  },
  {
    rule: "AI Act, Article 19",
    asks: "Providers keep the logs that are under their control for an appropriate period, six months at least, unless other law provides otherwise.",
    sections: ["retention"],
    shows: `How long records are kept, and signed statements of what was removed and how old it was. Less than 183 days has a warning.`,
    leaves:
      "Which period is appropriate to the purpose of the system, and whether other law provides otherwise.",
  },
  {
    rule: "AI Act, Article 26(6)",
    asks: "Deployers keep the logs that are under their control for an appropriate period, six months at least, unless other law provides otherwise.",
    sections: ["retention", "backups"],
    shows: "The same as for Article 19, and the backups that were made.",
    leaves: "Whether logs of other parts of the AI system are kept as long.",
  },
  {
    rule: "AI Act, Article 72",
    asks: "Providers monitor a high-risk AI system after it was placed on the market, according to a plan.",
    sections: ["actions", "refusals", "models"],
    shows: "Numbers of calls and refusals of the period, the models in use and their changes.",
    leaves: "The plan, and how data of the whole system is analysed.",
  },
  {
    rule: "Regulation (EU) 2016/679 (GDPR), Article 15",
    asks: "People get access to their personal data.",
    sections: ["actions"],
    shows: "How often data of a subject was exported (subject.export).",
    leaves: "Whether each request was answered completely and in time.",
  },
  {
    rule: "GDPR, Article 17",
    asks: "Personal data is erased on request, under conditions.",
    sections: ["erasures"],
    shows:
      "Each erasure of the period, who made it, with the reason that was given, and how many records lost their text.",
    leaves: "Whether an erasure was due, and copies elsewhere, such as in backups and exports.",
  },
  {
    rule: "GDPR, Article 30",
    asks: "Controllers and processors keep a record of processing activities.",
    sections: ["logged", "retention"],
    shows: "Which operations there are, and the periods after which records are removed.",
    leaves: "Purposes, categories of people, recipients and transfers.",
  },
  {
    rule: "SOC 2 (Trust Services Criteria), CC7.2",
    asks: "The organisation monitors its systems for anomalies and analyses whether they are security events.",
    sections: ["refusals", "keys", "administration"],
    shows: "Refused calls by code, failed attempts to sign in, and changes of keys.",
    leaves: "Who looks at them, when, and what was done.",
  },
  {
    rule: "ISO/IEC 42001:2023, Annex A, A.6.2.8",
    asks: "The organisation decides in which phases of the life cycle event logs are recorded, at least while the AI system is in use.",
    sections: ["logged", "coverage"],
    shows: "The memory was logged in the period from the first to the last record.",
    leaves: "The decision, and logs of other phases and of other parts of the AI system.",
  },
];

export const unpublished =
  "The European standards on logging of AI systems that are to support Article 12 were drafts when this version of memledger was made (prEN 18229-1, prEN ISO/IEC 24970). This report claims nothing about them. From when on the articles apply to a system, and whether it is a high-risk AI system, this report does not say.";
