import type { OptionName } from '../../../operator/settings/options';
import type { OptionTexts } from './option-texts';
import type { PodFolder } from './pod-folders';

/** Options and folders that one concern gives to the operator's process. */
export interface ProcessPart {
  readonly options: OptionTexts;
  readonly folders: readonly PodFolder[];
  /** Fields of the Pod that options are read from, as paths; absent: none. */
  readonly podFields?: Readonly<Partial<Record<OptionName, string>>>;
}

/** A port of the Pod that others connect to. */
export interface PodPort {
  /** Name by which Services refer to it. */
  readonly name: string;
  readonly number: number;
  /** The API server calls webhooks, monitors read metrics; clients are everything else in or outside of the cluster. */
  readonly caller: 'api-server' | 'clients' | 'monitors';
}

/** Port of probes, and of metrics that need no token. */
export const HEALTH_PORT = 8081;
