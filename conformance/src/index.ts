/**
 * The conformance kit: tests implementations of the app registry specification. The door of the package
 * `appreg-conformance`, which the commands `appreg conformance …` use.
 */

// Cases, by the role of the implementation, from the sets in this package.
export { type CasesByRole, type Role, ROLES, SETS } from './case/case.ts';
export { casesOf, LATEST_SET } from './sets.ts';

// Known failures of an implementation.
export { expectedFailures } from './expected.ts';

// Validators of documents: this library, or a command.
export { commandWords } from './command.ts';
export { coreValidator, documentOf, runDocumentCases } from './documents/run.ts';
export { batchValidator, commandValidator, type GivenDocument, type Validator } from './documents/validator.ts';

// Hosts of an uploaded folder.
export { writeFixtures } from './host/fixtures.ts';
export { runHostCases } from './host/run.ts';

// Subscribers, before scripted hosts.
export { type Implementation, runSubscriberCases } from './subscriber/run.ts';

// Results: as a report, a table, JUnit and a page.
export { conformanceExit, type ConformanceReport, type Observation, reportOf } from './result.ts';
export { conformanceJunit } from './results/junit.ts';
export { conformancePage } from './results/html.ts';
export { conformanceTable, verdictOf } from './results/table.ts';
