import type { PodFolder } from '../process/pod-folders';
import type { PodPort, ProcessPart } from '../process/process-part';
import type { StoreOwner } from '../store/store-shape';
import type { OperatorImage } from './image';
import type { OperatorPodProps } from './pod-props';

/** Props that the Pods read. */
export interface PodOwner extends OperatorPodProps, StoreOwner {
  readonly image?: OperatorImage;
  readonly platform?: 'kubernetes' | 'openshift';
  readonly settings?: { readonly shutdownDelaySeconds?: number };
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
}

/** Needs of the concerns of the operator that its Pods fulfil. */
export interface PodNeeds {
  /** In the order in which their folders are mounted. */
  readonly process: readonly ProcessPart[];
  readonly ports: readonly PodPort[];
  /** Folders of sockets, mounted behind everything else. */
  readonly sockets: readonly PodFolder[];
}
