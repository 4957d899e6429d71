import type { MarkedStore } from '../backends/system/hash-key';
import type { ServicesDoorParts } from '../front-doors/services/wanted/door-parts';
import type { AddressBook } from '../ports/address-book';
import type { CertificateSource } from '../ports/certificates';
import type { Cluster } from '../ports/cluster';
import type { Disputes } from '../ports/disputes';
import type { Registry } from '../ports/registry';
import type { SecretHasher } from '../ports/secret-hasher';
import type { RecordView } from '../ports/store';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import type { LeaderWork } from '../runtime/leadership';
import type { HealthCheck } from '../server/health';
import type { Settings } from '../settings/options';

/** What a start has opened before it looks around. */
export interface Ground extends Tools {
  readonly settings: Settings;
  readonly store: RecordView;
  readonly zones: ZoneSource;
  /** Hashes secrets for this record; or the store whose mark tells the key of the installation from others. */
  readonly hashing: SecretHasher | { readonly keyOf: MarkedStore };
  /** What the leader does beside the front doors. */
  readonly leaderWork?: LeaderWork;
  /** Addresses on record that a system outside has for somebody else; absent where nobody compares. */
  readonly disputes?: Disputes;
}

/** What is around the process: a real cluster, or an imagined one. Made before the ledger, which needs its key. */
export interface Surroundings {
  readonly cluster: Cluster;
  readonly hasher: SecretHasher;
  readonly certificate: CertificateSource;
  /** Begins what runs beside the servers; without a registry where another operator keeps the record. Called once. */
  attend(book: AddressBook, registry?: Registry): Attendance;
  /** Lets go of what was opened; called after the attendance ended. */
  close(): Promise<void>;
}

/** What runs beside the servers. */
export interface Attendance {
  /** What the webhooks of the Services door work with; its book serves the IPAM-API too. */
  readonly door: Pick<ServicesDoorParts, 'book' | 'pools' | 'poolFamilies' | 'namespaces' | 'admitted'>;
  /** What must be well before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** What must be well for the process to live on. */
  readonly liveness: readonly HealthCheck[];
  /** Ends the work; waits for what is under way. */
  end(): Promise<void>;
}
