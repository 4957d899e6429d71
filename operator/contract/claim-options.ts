/** Options of a claim without any: it is not retained, and a clean-up from outside of the cluster may end it. */
export const NO_OPTIONS = { retentionPeriodDays: 0, denyExternalCleanup: false } as const;
