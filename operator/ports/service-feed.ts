import type { ObjectChange, ObjectFeed, ObjectKey, RenewableFeed } from './object-feed';

/** Which Service: the name may belong to another object by now, so its UID counts. */
export type ServiceKey = ObjectKey;

/** One change of the stored Services. */
export type ServiceChange = ObjectChange;

/** The stored Services as the watch knows them: raw core/v1 objects without annotations that no part of ours reads. */
export type ServiceFeed = ObjectFeed & Partial<RenewableFeed>;
