import type {
  AppAnswer,
  AppsAnswer,
  RegistriesAnswer,
  ReportAnswer,
  VersionsAnswer,
} from '../facts/service.ts';
/** True if a response of a service has the members of a type; others are removed. */
export declare function isRegistriesAnswer(value: unknown): value is RegistriesAnswer;
export declare function isReportAnswer(value: unknown): value is ReportAnswer;
export declare function isAppsAnswer(value: unknown): value is AppsAnswer;
export declare function isAppAnswer(value: unknown): value is AppAnswer;
export declare function isVersionsAnswer(value: unknown): value is VersionsAnswer;
