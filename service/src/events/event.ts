import type { EventData, EventType, VitaeEvent } from '@vitae/contract'

/** An event to be written, with the data of its type. */
export type NewEvent = {
  [T in EventType]: {
    type: T
    at: number
    /** The environment that hears of it; null = every environment. */
    environmentId: number | null
    /** The record that it is about: an erasure of it removes the event. */
    entityId?: number | null
    data: EventData<T>
  }
}[EventType]

/** An event as it is stored and read. */
export interface StoredEvent {
  /** The row, for tables that refer to it. */
  rowId: number
  /** Where it stands among all events; readers go on after the last one they have seen. */
  position: number
  environmentId: number | null
  entityId: number | null
  event: VitaeEvent
}
