/** Clouds whose machines the operator attaches addresses to, as `spec.cloud` and the settings name them. */
export const EGRESS_CLOUDS = ['aws', 'azure', 'gcp'] as const;

/** One of {@link EGRESS_CLOUDS}. */
export type EgressCloudName = (typeof EGRESS_CLOUDS)[number];

/** Environments of Azure, by the names that its tools give them. */
export const AZURE_ENVIRONMENTS = ['AzurePublicCloud', 'AzureUSGovernmentCloud', 'AzureChinaCloud'] as const;

/** One of {@link AZURE_ENVIRONMENTS}. */
export type AzureEnvironment = (typeof AZURE_ENVIRONMENTS)[number];
