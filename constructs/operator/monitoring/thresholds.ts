/** Share of a zone or IPGroup in use above which its alert fires where nothing else is said, in percent. */
export const NEARLY_FULL_PERCENT = 90;
