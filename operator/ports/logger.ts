/** Allow-listed fields of a log line; values are short texts or numbers, never bodies, never secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where events for the operator's owner go. One line, one event. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
