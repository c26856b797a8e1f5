// The memories of a small team, which made-up people said: what the story of the console imports and its pictures show.

const day = 86_400_000;

interface TeamMemory {
  readonly content: string;
  readonly memory_type: "rule" | "fact" | "context";
  readonly importance: number;
  readonly tags: readonly string[];
  readonly expires_at?: string;
}

const rules = `
Never deploy on a Friday.|0.9|deploys
Answer customers in the language in which they wrote.|0.8|support
Use bun in this repository; npm and yarn are not installed.|0.9|repository
Every migration needs a way back, or a backup right before it.|0.8|database
Ask Ana before the invoice format is changed.|0.7|billing
Write commit messages in the imperative, with the reason in the body.|0.6|repository
`;

const facts = `
Releases go out on Tuesdays, after the tests of the night have passed.|0.7|deploys
The release manager of the billing team is Ana Duarte.|0.6|billing,people
Rui maintains the import of bank statements.|0.5|billing,people
The staging server is rebuilt every night at two.|0.4|deploys
Customers are told about a release one day before.|0.5|deploys,support
Version 2.4.1 was released on 3 November and broke the import of invoices.|0.5|deploys,billing
The warehouse in Porto closes at six in the evening.|0.4|warehouse
Pallets are counted every second Monday.|0.3|warehouse
The scanner at gate 3 needs a new battery every four hours.|0.4|warehouse
Marta is on parental leave until the end of February.|0.6|people
The main database is PostgreSQL 17 on two machines in Lisbon.|0.7|database
The replica is twenty seconds behind at most.|0.4|database
Backups are restored on the first Wednesday of each month to prove that they work.|0.7|database
The index on invoices by customer was added because the monthly report took nine minutes.|0.5|database,billing
Support answers within four hours on weekdays.|0.6|support
Nordwind Logistics has a contract with an answer time of one hour.|0.8|support,customers
Nordwind Logistics sends its invoices as UBL 2.1.|0.6|billing,customers
The contact at Nordwind Logistics is Jens Albrecht.|0.5|customers,people
Casa Verde pays by direct debit on the fifth of the month.|0.5|billing,customers
Casa Verde asked for a report of open orders in October.|0.4|customers
The report of open orders is made from the view open_orders.|0.5|database
Jens prefers calls before ten in the morning.|0.3|customers,people
The office in Porto has a coffee machine that only Rui can repair.|0.2|people
Feature flags are kept in the file flags.toml of the repository.|0.6|repository
The flag fast_import switches the new import of bank statements on.|0.5|repository,billing
The tests of the night run on the machine named heron.|0.4|repository
The certificate of the shop is renewed by the proxy itself.|0.4|deploys
Invoices are numbered without gaps, because the tax office asks for it.|0.8|billing
An invoice is corrected by a credit note and never changed.|0.8|billing
The team meets on Mondays at half past nine.|0.4|people
`;

const contexts = `
The release of this week is delayed by a day, because heron is being repaired.|0.8|deploys|2
Nordwind Logistics moves its warehouse; deliveries go to Bremen meanwhile.|0.7|customers|20
Ana is on holiday; Rui answers questions about invoices.|0.7|people,billing|9
`;

/** @param now milliseconds since 1970, from which contexts expire */
export function teamMemories(now: number): readonly TeamMemory[] {
  return [...read(facts, "fact", now), ...read(rules, "rule", now), ...read(contexts, "context", now)];
}

function read(lines: string, memory_type: TeamMemory["memory_type"], now: number): TeamMemory[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [content = "", importance = "0.5", tags = "", days] = line.split("|");
      const memory = { content, memory_type, importance: Number(importance), tags: tags.split(",") };
      if (days === undefined) return memory;
      return { ...memory, expires_at: new Date(now + Number(days) * day).toISOString() };
    });
}

export const conversation = `Ana: Jens from Nordwind Logistics called. From December on they want their invoices by e-mail as well.
Rui: Good, I will set it up. Where do they send the address?
Ana: It is invoices@nordwind.example. And remember, never send them a reminder before the tenth of the month.
Rui: The new warehouse in Bremen opens on 7 December 2026. Deliveries to the old one stop the day before.
Ana: I will be back on Monday. Releases go out on Wednesdays until then.`;
