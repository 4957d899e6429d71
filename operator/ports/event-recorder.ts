import type { ObjectKey } from './object-feed';

/** An object as an Event names it. */
export interface ObjectReference extends ObjectKey {
  /** API group and version, for example `v1`. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** An Event about an object. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, from a bounded set. */
  readonly reason: string;
  readonly message: string;
}

/** Records Events about objects of any kind; those of the whole cluster have them in namespace `default`. */
export interface EventRecorder {
  /** Records one Event; equal ones in a row are counted in one object. Never throws: what cannot be written is lost. */
  record(regarding: ObjectReference, event: ObjectEvent): Promise<void>;
}
