/** Metadata of a cluster-scoped object as the API server stores it. */
export interface StoredMetadata {
  readonly name: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
